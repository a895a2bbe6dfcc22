import { autocompletion, type CompletionContext } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import type { Complete } from './code-types.ts'

/** Suggestions while one types, and at Control Space. */
export const completions = (complete: Complete): Extension =>
  autocompletion({ icons: false, override: [(context) => suggest(context, complete)] })

function suggest({ state, pos, explicit }: CompletionContext, complete: Complete) {
  const line = state.doc.lineAt(pos)
  const found = complete(line.text.slice(0, pos - line.from))
  // An empty word has every suggestion, which would be in the way of a person who types.
  if (!found || (found.from === pos - line.from && !explicit && !found.isAfterDot)) return null
  return {
    from: line.from + found.from,
    options: found.options,
    validFor: /^[\w-]*$/,
  }
}
