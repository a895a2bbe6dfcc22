import { Link } from '@tanstack/react-router'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { LogLine, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useKey } from '../app/shortcuts.tsx'
import { Button } from './forms.tsx'
import { useLogFeed } from './use-log-feed.ts'

const rowHeight = 20
/** Rows beyond the edge, so that a fast scroll shows no gap. */
const overscan = 20
const stateWords = {
  connecting: 'connecting…',
  live: 'live',
  waiting: 'the connection broke; it goes on where it was',
  over: 'complete',
}

type Props = { place: RunPlace; stage: string; line: number | undefined }

/** A log of any length: only the rows in sight are in the document. */
export function LogView({ place, stage, line }: Props) {
  const { lines, state } = useLogFeed(place, stage)
  const box = useRef<HTMLDivElement>(null)
  const [scrollTop, setScrollTop] = useState(0)
  const [height, setHeight] = useState(600)
  const [follow, setFollow] = useState(line === undefined)
  const search = useSearch(lines)

  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const goTo = useCallback((index: number) => {
    const element = box.current
    if (!element) return
    setFollow(false)
    element.scrollTop = Math.max(0, index * rowHeight - element.clientHeight / 2)
  }, [])

  useLayoutEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [follow, lines])

  // A link to a line is followed once, as soon as that line is there.
  const [sought, setSought] = useState<number>()
  useEffect(() => {
    if (line === undefined || sought === line) return
    const index = indexOfSeq(lines, line)
    if (index === undefined) return
    setSought(line)
    goTo(index)
  }, [line, lines, sought, goTo])

  const { current } = search
  useEffect(() => {
    if (current !== undefined) goTo(current)
  }, [current, goTo])

  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan)
  const last = Math.min(lines.length, Math.ceil((scrollTop + height) / rowHeight) + overscan)
  const onScroll = () => {
    const element = box.current
    if (!element) return
    setScrollTop(element.scrollTop)
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight
    if (!atEnd && element.scrollTop < scrollTop) setFollow(false)
  }
  return (
    <div className="log">
      <div className="log-bar">
        <SearchBox search={search} />
        <span className="dim num" role="status">
          {plural(lines.length, 'line')}, {stateWords[state]}
        </span>
        <Button
          tone={follow ? 'primary' : 'plain'}
          aria-pressed={follow}
          onClick={() => setFollow(!follow)}
        >
          Follow
        </Button>
      </div>
      <div
        className="log-box"
        ref={box}
        onScroll={onScroll}
        role="region"
        aria-label={`Log of ${stage}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: else no key scrolls it
        tabIndex={0}
      >
        {lines.length === 0 && <p className="log-none">{noneWords[state]}</p>}
        <div className="log-all" style={{ height: lines.length * rowHeight }}>
          <ol className="log-window" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {lines.slice(first, last).map((one, at) => (
              <li
                key={one.seq}
                className={`log-row ${one.level} ${one.seq === line ? 'linked' : ''} ${first + at === current ? 'current' : ''}`}
              >
                <LineNumber place={place} stage={stage} seq={one.seq} />
                <span className="log-text">
                  <Marked text={one.line} term={search.term} />
                </span>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </div>
  )
}

const noneWords = {
  connecting: 'Connecting…',
  live: 'Nothing was written yet.',
  waiting: 'The connection broke. It goes on where it was.',
  over: 'This stage wrote nothing.',
}

function LineNumber({ place, stage, seq }: { place: RunPlace; stage: string; seq: number }) {
  const params = { id: place.id, runId: place.runId }
  const search = { tab: 'log' as const, stage, line: seq }
  const shown = {
    params,
    search,
    className: 'log-number',
    replace: true,
    resetScroll: false,
    preload: false as const,
    'aria-label': `Link to line ${seq}`,
  }
  return place.kind === 'pipeline' ? (
    <Link to="/pipelines/$id/runs/$runId" {...shown}>
      {seq}
    </Link>
  ) : (
    <Link to="/workspaces/$id/runs/$runId" {...shown}>
      {seq}
    </Link>
  )
}

/** Lines have no holes, so a line's place is all but always its number. */
function indexOfSeq(lines: readonly LogLine[], seq: number): number | undefined {
  if (lines[seq - 1]?.seq === seq) return seq - 1
  const index = lines.findIndex((one) => one.seq === seq)
  return index < 0 ? undefined : index
}

type Search = ReturnType<typeof useSearch>

function useSearch(lines: readonly LogLine[]) {
  const [term, setTerm] = useState('')
  const [at, setAt] = useState(0)
  const wanted = term.toLowerCase()
  const found = useMemo(
    () =>
      wanted === ''
        ? []
        : lines.flatMap(({ line }, index) => (line.toLowerCase().includes(wanted) ? [index] : [])),
    [lines, wanted],
  )
  return {
    term: wanted,
    at,
    found,
    current: found[at],
    setTerm(value: string) {
      setTerm(value)
      setAt(0)
    },
    move: (by: number) => {
      if (found.length > 0) setAt((at + by + found.length) % found.length)
    },
    typed: term,
  }
}

function SearchBox({ search }: { search: Search }) {
  const input = useRef<HTMLInputElement>(null)
  useKey(
    '/',
    useCallback(() => input.current?.focus(), []),
  )
  return (
    <div className="log-search">
      <input
        ref={input}
        type="search"
        aria-label="Search in the log"
        placeholder="Search  /"
        value={search.typed}
        onChange={(event) => search.setTerm(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') search.move(event.shiftKey ? -1 : 1)
        }}
      />
      <span className="dim num" role="status">
        {search.term !== '' &&
          (search.found.length === 0 ? 'none' : `${search.at + 1} of ${search.found.length}`)}
      </span>
    </div>
  )
}

function Marked({ text, term }: { text: string; term: string }) {
  const at = term === '' ? -1 : text.toLowerCase().indexOf(term)
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + term.length)}</mark>
      {text.slice(at + term.length)}
    </>
  )
}
