import { lazy, Suspense } from 'react'
import type { CodeProps } from './code-types.ts'
import { PlainEditor } from './plain-editor.tsx'

/** The editor is a script of its own. Without it, because the service is down, the text can be edited all the same. */
const Loaded = lazy(async () => {
  try {
    return { default: (await import('./code-editor.tsx')).CodeEditor }
  } catch {
    return { default: PlainEditor }
  }
})

/** An editor of one file, with colours, line numbers, search and marks. */
export function CodeText(props: CodeProps) {
  return (
    <Suspense fallback={<PlainEditor {...props} readOnly />}>
      <Loaded {...props} />
    </Suspense>
  )
}
