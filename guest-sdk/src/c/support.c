/* What the C library and the bindings ask of a system, where there is none. */

extern void __wasm_call_ctors(void);

/* An instance begins with this: the constructors of static objects. */
__attribute__((export_name("_initialize"))) void bakeoff_initialize(void) { __wasm_call_ctors(); }

/* An assertion that fails ends the call. The library's own would print. */
_Noreturn void __assert_fail(const char *assertion, const char *file, int line, const char *function) {
  (void)assertion;
  (void)file;
  (void)line;
  (void)function;
  __builtin_trap();
}

/* The bindings name this so that the linker takes in a file with the types of the world, which are added later. */
void __component_type_object_force_link_prototype(void) {}
