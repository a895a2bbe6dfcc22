export type Theme = 'system' | 'light' | 'dark'

const key = 'cc-theme'
const shownAs = (value: string | undefined): Theme =>
  value === 'light' || value === 'dark' ? value : 'system'

export const currentTheme = (): Theme => shownAs(document.documentElement.dataset['theme'])

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    if (theme === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, theme)
  } catch {
    // Without localStorage the choice is lost when the page is closed.
  }
}
