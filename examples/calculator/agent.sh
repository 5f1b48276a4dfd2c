#!/bin/sh
# An agent that knows one answer to each task of this example. A real one reads the task and writes the code.
task=$(cat)
mkdir -p src tests
case $task in
*"Write src/lex.awk"*)
    cat >src/lex.awk <<'END'
# Splits a text into tokens: sets token[1] to token[count]. Returns count, or 0 if a sign is none.
function lex(text,    count) {
    count = 0
    while (text != "") {
        if (match(text, /^[ \t]+/)) { text = substr(text, RLENGTH + 1); continue }
        if (!match(text, /^([0-9]+(\.[0-9]+)?|[-+*\/()])/)) return 0
        token[++count] = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
    }
    return count
}
END
    ;;
*"Write src/evaluate.awk"*)
    cat >src/evaluate.awk <<'END'
# Evaluates token[1] to token[count]: sums of products of signed numbers and parentheses. Sets failed where it cannot.
function evaluate(count,    value) {
    place = 1; last = count; failed = (count == 0)
    value = sum()
    if (place <= last) failed = 1
    return value
}
function sum(    value, sign) {
    value = product()
    while (place <= last && (token[place] == "+" || token[place] == "-")) {
        sign = token[place++]
        value = sign == "+" ? value + product() : value - product()
    }
    return value
}
function product(    value, sign, other) {
    value = factor()
    while (place <= last && (token[place] == "*" || token[place] == "/")) {
        sign = token[place++]
        other = factor()
        if (sign == "/" && other == 0) { failed = 1; return 0 }
        value = sign == "*" ? value * other : value / other
    }
    return value
}
function factor(    value) {
    if (place > last) { failed = 1; return 0 }
    if (token[place] == "-") { place++; return -factor() }
    if (token[place] == "(") {
        place++
        value = sum()
        if (place > last || token[place] != ")") failed = 1
        place++
        return value
    }
    if (token[place] !~ /^[0-9]/) { failed = 1; return 0 }
    return token[place++] + 0
}
END
    ;;
*"Write calc"*)
    cat >src/main.awk <<'END'
{
    value = evaluate(lex($0))
    if (failed) { print "error"; exit 1 }
    print value
}
END
    printf '%s\n' '#!/bin/sh' 'echo "$*" | awk -f src/lex.awk -f src/evaluate.awk -f src/main.awk' >calc
    chmod +x calc
    ;;
*"Write tests/run.sh"*)
    cat >tests/run.sh <<'END'
is() { [ "$(sh calc "$1")" = "$2" ] || { echo "$1 is $(sh calc "$1"), not $2"; exit 1; }; }
is '1 + 2 * 3' 7
is '(1 + 2) * 3' 9
is '-2 * -(3 - 1)' 4
is '7 / 2' 3.5
is '8 - 2 - 3' 3
is '1 / 0' error
is '1 +' error
is '2 $ 3' error
END
    ;;
*"Write README.md"*)
    echo 'A calculator: `sh calc "1 + 2 * 3"` prints 7, and `error` for what is no sum.' >README.md
    ;;
*)
    echo "this agent knows nothing of this task" >&2
    exit 1
    ;;
esac
