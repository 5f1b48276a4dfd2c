import heapq, json, sys
for line in sys.stdin:
    values, k = json.loads(line)
    print(json.dumps(heapq.nlargest(k, values)), flush=True)
