import type { Page } from 'playwright-core'

/** Names of the API, and English that no colleague would say (docs/console-words.md). */
const banned: readonly RegExp[] = [
  /\S*\/api\/\S*/,
  /\?\w+=/,
  /\b[a-z]+(_[a-z]+)+\b/,
  /\b(git|cloud|workspace|pipeline|organization|run)(Connection|Account)?Id\b/,
  /Idempotency-Key/,
  /\b(undefined|NaN)\b|\[object Object\]/,
  /\b(whoever|nobody who(m)?|anew|told of)\b/i,
  /none that many people|was not taken|no longer holds/,
  /Failed recently|Log of (plan|apply)/,
]

/** All that a person reads or hears, but what is shown as code or was typed by a person. */
const readText = `(() => {
  const copy = document.body.cloneNode(true)
  for (const one of copy.querySelectorAll('code, pre, textarea, script, style, noscript, svg, bdi, .log')) one.remove()
  const said = [...copy.querySelectorAll('[aria-label], [placeholder], [title]')].flatMap((one) =>
    ['aria-label', 'placeholder', 'title'].map((name) => one.getAttribute(name) ?? ''))
  return [copy.textContent, ...said].join(' \\n ')
})()`

/** What on the page is worded for programs, with the text around it. */
export async function wrongWords(page: Page, where: string): Promise<string[]> {
  return wrongWordsOf(String(await page.evaluate(readText)), where)
}

export function wrongWordsOf(words: string, where: string): string[] {
  // The address of a resource, in the message of a policy, is the author's own.
  const text = words.replaceAll(/\b[a-z]\w*_\w+\.\w+(\[[^\]]*\])?/g, '')
  return banned.flatMap((pattern) => {
    const at = text.search(pattern)
    return at < 0 ? [] : [`${where}: ${text.slice(Math.max(0, at - 40), at + 60).trim()}`]
  })
}
