import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["course_tools/slides/vendor/"] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    // Python joins the files of a widget by their imports, and reads one name from each declaration.
    rules: { "one-var": ["error", { initialized: "never", uninitialized: "consecutive" }] },
  },
  { files: ["course_lib/**"], languageOptions: { globals: globals.browser } },
  {
    files: ["course_tools/site/**", "course_tools/slides/**"],
    languageOptions: { globals: { ...globals.browser, Plotly: "readonly", Reveal: "readonly", RevealNotes: "readonly" } },
  },
  { files: ["tests/js/**"], languageOptions: { globals: globals.node } },
];
