import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    // Python joins the files of a widget by their imports, and reads one name from each declaration.
    rules: { "one-var": ["error", { initialized: "never", uninitialized: "consecutive" }] },
  },
  { files: ["course_lib/**"], languageOptions: { globals: globals.browser } },
  { files: ["tests/js/**"], languageOptions: { globals: globals.node } },
];
