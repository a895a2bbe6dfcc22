import { CopyButton } from '../parts/copy-line.tsx'

/** A text to paste in a cloud, behind its title. */
export function SetupText({ title, text, open }: { title: string; text: string; open?: boolean }) {
  return (
    <details className="setup-text" open={open}>
      <summary>{title}</summary>
      <CopyButton text={text} what={title} />
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </details>
  )
}
