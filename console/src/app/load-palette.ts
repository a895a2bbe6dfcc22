/** Loads the command palette separately: most visits never open it. */
export const loadPalette = () => import('./palette.tsx')
