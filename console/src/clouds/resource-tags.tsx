import { Link } from '@tanstack/react-router'

const shownFirst = 3

/** The tags of a resource. Each leads to all resources that have it; those beyond the first open on demand. */
export function ResourceTags({ tags }: { tags: Record<string, string> }) {
  const all = Object.entries(tags).map(([key, value]) => (value === '' ? key : `${key}=${value}`))
  const more = all.slice(shownFirst)
  if (all.length === 0) return null
  return (
    <div className="resource-tags">
      <TagLinks tags={all.slice(0, shownFirst)} />
      {more.length > 0 && (
        <details>
          <summary>+ {more.length} more</summary>
          <div className="resource-tags">
            <TagLinks tags={more} />
          </div>
        </details>
      )}
    </div>
  )
}

const TagLinks = ({ tags }: { tags: readonly string[] }) =>
  tags.map((tag) => (
    <Link key={tag} className="tag" to="/clouds/resources" search={{ tag }}>
      {tag}
    </Link>
  ))
