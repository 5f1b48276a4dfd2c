#include <stdio.h>
#include <stdlib.h>
static int down(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x < y) - (x > y);
}
int main(void) {
    char *line = NULL; size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        size_t n = 0, most = 1024; long long *v = malloc(most * sizeof *v);
        char *at = line + 2;
        while (*at != ']') {
            if (n == most) v = realloc(v, (most *= 2) * sizeof *v);
            v[n++] = strtoll(at, &at, 10);
            if (*at == ',') at++;
        }
        unsigned long k = strtoul(at + 2, NULL, 10);
        qsort(v, n, sizeof *v, down);
        putchar('[');
        for (size_t i = 0; i < k && i < n; i++) printf(i ? ",%lld" : "%lld", v[i]);
        puts("]"); fflush(stdout); free(v);
    }
}
