/**
 * The look of the product for the rendered reference: the colours of console/src/styles/tokens.css, which
 * a test compares, over the style sheet of swagger-ui. It follows the system between light and dark.
 */
export const docsTheme = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#fafaf8, #0e1012);
  --surface: light-dark(#ffffff, #15181b);
  --sunken: light-dark(#f3f3f0, #0a0c0e);
  --line: light-dark(#e3e3de, #272c31);
  --line-mid: light-dark(#cfcfc8, #3b4249);
  --text: light-dark(#1b1d1f, #e7e9eb);
  --dim: light-dark(#5b6066, #9ba3ab);
  --accent: light-dark(#14695c, #4fc2ac);
  --on-accent: light-dark(#ffffff, #04211c);
  --bad: light-dark(#b3261e, #ff8a82);
  --sans: 'Inter', ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
html, body { background: var(--bg); }
.swagger-ui, .swagger-ui *:not(code, pre, code *, pre *, .microlight, svg *) {
  font-family: var(--sans) !important;
}
.swagger-ui code, .swagger-ui pre, .swagger-ui .opblock-summary-path, .swagger-ui .opblock-summary-path * {
  font-family: var(--mono) !important;
}
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock-tag small,
.swagger-ui .opblock .opblock-summary-description, .swagger-ui .opblock .opblock-summary-path,
.swagger-ui .opblock-description-wrapper p, .swagger-ui .opblock-section-header h4,
.swagger-ui .opblock-section-header > label, .swagger-ui table thead tr td, .swagger-ui table thead tr th,
.swagger-ui .parameter__name, .swagger-ui .parameter__type, .swagger-ui .response-col_status,
.swagger-ui .response-col_links, .swagger-ui .responses-inner h4, .swagger-ui .tab li, .swagger-ui .model,
.swagger-ui .model-title, .swagger-ui section.models h4, .swagger-ui label, .swagger-ui .info p, .swagger-ui .info li,
.swagger-ui .renderedMarkdown p, .swagger-ui .btn, .swagger-ui select, .swagger-ui input, .swagger-ui textarea {
  color: var(--text) !important;
}
.swagger-ui .opblock-tag small, .swagger-ui .parameter__type, .swagger-ui .parameter__in, .swagger-ui .prop-format {
  color: var(--dim) !important;
}
.swagger-ui .topbar { padding: 12px 0; border-bottom: 1px solid var(--line); background: var(--surface); }
.swagger-ui .topbar-wrapper > a, .swagger-ui .topbar .download-url-wrapper { display: none; }
.swagger-ui .topbar-wrapper::before { color: var(--text); font-weight: 600; content: 'cloud-control'; }
.swagger-ui .info { margin: 28px 0; }
.swagger-ui .info .title { font-size: 24px; font-weight: 600; }
.swagger-ui .info .title small { background: var(--dim) !important; }
.swagger-ui .scheme-container { background: var(--surface); box-shadow: none; border: 1px solid var(--line); border-radius: 8px; }
.swagger-ui .opblock-tag { border-color: var(--line); font-size: 17px; font-weight: 600; }
.swagger-ui .opblock { border: 1px solid var(--line) !important; border-radius: 6px; background: var(--surface) !important; box-shadow: none; }
.swagger-ui .opblock .opblock-summary { border-color: var(--line) !important; }
.swagger-ui .opblock .opblock-summary-method { background: var(--accent) !important; color: var(--on-accent) !important; text-shadow: none; border-radius: 4px; }
.swagger-ui .opblock-delete .opblock-summary-method { background: var(--bad) !important; }
.swagger-ui .opblock .opblock-section-header { background: var(--sunken); box-shadow: none; }
.swagger-ui section.models, .swagger-ui section.models .model-container { border-color: var(--line); background: var(--surface); }
.swagger-ui .btn { border: 1px solid var(--line-mid); border-radius: 6px; background: var(--surface); box-shadow: none; }
.swagger-ui .btn.execute { border-color: var(--accent); background: var(--accent); color: var(--on-accent) !important; }
.swagger-ui .btn.authorize svg { fill: var(--accent); }
.swagger-ui input, .swagger-ui select, .swagger-ui textarea { border: 1px solid var(--line-mid) !important; background: var(--surface) !important; box-shadow: none; }
.swagger-ui .dialog-ux .modal-ux { border: 1px solid var(--line-mid); background: var(--surface); }
.swagger-ui .dialog-ux .modal-ux-header { border-color: var(--line); }
.swagger-ui .dialog-ux .modal-ux-header h3, .swagger-ui .dialog-ux .modal-ux-content * { color: var(--text); }
.swagger-ui a, .swagger-ui .link { color: var(--accent) !important; }
.swagger-ui svg.arrow, .swagger-ui .opblock-tag svg, .swagger-ui .opblock-control-arrow svg { fill: var(--text); }
`
