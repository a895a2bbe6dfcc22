import { shapes, type IconName } from './icon-shapes.ts'

type Props = { name: IconName; size?: 13 | 16 }

/** Hidden from screen readers, because a visible word stands next to it. */
export function Icon({ name, size = 16 }: Props) {
  return (
    <svg
      className={size === 16 ? 'icon' : 'icon small'}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  )
}
