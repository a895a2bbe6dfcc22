import { StringStream, type StreamParser } from '@codemirror/language'

/** Each word with its kind, as the editor would colour it. Space is left out. */
export function tokensOf<State>(parser: StreamParser<State>, text: string): string[] {
  const state = parser.startState?.(2)
  if (state === undefined) throw new Error('the parser has no state to start with')
  const found: string[] = []
  for (const line of text.split('\n')) {
    const stream = new StringStream(line, 2, 2)
    while (!stream.eol()) {
      const kind = parser.token(stream, state)
      if (stream.pos === stream.start) throw new Error(`it stands still at ${line}`)
      const word = stream.current()
      stream.start = stream.pos
      if (kind !== null) found.push(`${word} ${kind}`)
    }
  }
  return found
}
