/** Apart from the first load: its library is as large as React. */
export const loadMenu = () => import('./account-menu.tsx')
