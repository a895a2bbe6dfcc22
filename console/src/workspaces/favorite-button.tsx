type Props = { name: string; isOne: boolean; onChange: (isOne: boolean) => void }

/** Puts a workspace among the favorites of the person who is signed in, or removes it. */
export function FavoriteButton({ name, isOne, onChange }: Props) {
  return (
    <button
      type="button"
      className="star"
      aria-pressed={isOne}
      aria-label={`Favorite ${name}`}
      title={isOne ? 'Remove from favorites' : 'Add to favorites'}
      onClick={() => onChange(!isOne)}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d="M8 2.2 9.8 5.9l4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z" />
      </svg>
    </button>
  )
}
