import { Link } from '@tanstack/react-router'
import { linesOf } from './labels.ts'
import { plainLine } from './plain-text.ts'

const textsOf = (labels: Record<string, string>) => linesOf(labels).split('\n').filter(Boolean)

/** In a row of a list, which is a link itself. */
export const LabelTags = ({ labels }: { labels: Record<string, string> }) =>
  textsOf(labels).map((text) => (
    <span key={text} className="tag label">
      <bdi>{plainLine(text)}</bdi>
    </span>
  ))

type LinksProps = { labels: Record<string, string>; to: '/workspaces' | '/pipelines' }

/** On the page of a thing: each leads to the list of what has it too. */
export const LabelLinks = ({ labels, to }: LinksProps) =>
  textsOf(labels).map((text) => (
    <Link key={text} to={to} search={{ label: [text] }} className="tag label">
      <bdi>{plainLine(text)}</bdi>
    </Link>
  ))
