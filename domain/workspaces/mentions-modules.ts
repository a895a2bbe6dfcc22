import type { ConfigurationFiles } from './configuration-files.ts'

/** Whether a configuration could call a module at all; the few that only speak of one cost nothing but a look. */
export const mentionsModules = (files: ConfigurationFiles): boolean =>
  Object.entries(files).some(
    ([path, content]) => /\.(tf|tofu)(\.json)?$/.test(path) && /\bmodule\b/.test(content),
  )
