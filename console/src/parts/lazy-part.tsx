import { lazy, type ComponentType } from 'react'
import { Button } from './forms.tsx'

/**
 * A part of a page that is a script of its own. The rest of the page stays where it cannot be loaded, as after a new
 * version of the service was installed.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
) =>
  lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return await load()
    } catch {
      return { default: NotLoaded }
    }
  })

function NotLoaded() {
  return (
    <div className="note bad" role="alert">
      <p>
        This part of the page could not be loaded. The service may be down, or a new version of it
        was installed.
      </p>
      <Button onClick={() => location.reload()}>Reload the page</Button>
    </div>
  )
}
