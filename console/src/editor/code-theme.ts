import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The look of the editor, of the tokens in `styles/tokens.css`: custom properties reach into the shadow root. */
export const codeTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', background: 'var(--sunken)', fontSize: '13px' },
  // The element around it has the ring, which the line numbers would cover here.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', tabSize: '2' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 14px 0 8px' },
  '.cm-gutters': {
    background: 'var(--sunken)',
    color: 'var(--dim)',
    border: '0',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { background: 'var(--hover)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '&.cm-focused .cm-matchingBracket': { background: 'none', outline: '1px solid var(--accent)' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', outline: '1px solid var(--bad)' },
  '.cm-selectionMatch': { background: 'none', outline: '1px solid var(--line-mid)' },
  '.cm-searchMatch': { background: 'var(--mark)', outline: '1px solid var(--line-strong)' },
  '.cm-searchMatch, .cm-searchMatch *': { color: 'var(--text)' },
  '.cm-searchMatch.cm-searchMatch-selected': {
    background: 'var(--mark)',
    outline: '2px solid var(--accent)',
  },
  '.cm-panels': {
    background: 'var(--surface)',
    color: 'var(--text)',
    fontFamily: 'var(--sans)',
  },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '8px 28px 8px 10px' },
  '.cm-panel.cm-search label': { fontSize: '13px' },
  '.cm-panel.cm-search [name=close], .cm-panel.cm-panel-lint [name=close]': {
    width: '24px',
    height: '24px',
    color: 'var(--text)',
    cursor: 'pointer',
  },
  '.cm-textfield': {
    padding: '4px 6px',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    background: 'var(--bg)',
    color: 'var(--text)',
    fontSize: '13px',
  },
  '.cm-button': {
    padding: '4px 8px',
    border: '1px solid var(--line-mid)',
    borderRadius: '4px',
    background: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '13px',
    cursor: 'pointer',
  },
  '.cm-button:active': { background: 'var(--hover)' },
  '.cm-tooltip': {
    border: '1px solid var(--line-mid)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal' },
  '.cm-diagnostic': { maxWidth: '480px', whiteSpace: 'pre-wrap', fontFamily: 'var(--sans)' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--warn)' },
  // The squiggles of CodeMirror are images, which the content security policy refuses.
  '.cm-lintRange-error': underline('var(--bad)'),
  '.cm-lintRange-warning': underline('var(--warn)'),
  '.cm-lint-marker': { width: '10px', height: '10px', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'none', background: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: 'none', background: 'var(--warn)', borderRadius: '2px' },
  'button:focus-visible, input:focus-visible': { outline: '2px solid var(--accent)' },
})

function underline(color: string) {
  return { backgroundImage: 'none', textDecoration: `underline wavy ${color}` }
}

export const codeColours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--info)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.special(tags.string), color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.function(tags.variableName), color: 'var(--production)' },
  { tag: tags.function(tags.propertyName), color: 'var(--production)' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--text)' },
  { tag: [tags.punctuation, tags.operator], color: 'var(--dim)' },
  { tag: tags.invalid, color: 'var(--bad)' },
])
