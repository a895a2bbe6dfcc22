/** A `like` pattern that matches any text containing this one. Pattern characters in it are escaped. */
export const contains = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
