/** Loads the account menu separately, because its library is as large as React. */
export const loadMenu = () => import('./account-menu.tsx')
