import json, sys
for line in sys.stdin:
    values, k = json.loads(line)
    values.sort(reverse=True)
    print(json.dumps(values[:k]), flush=True)
