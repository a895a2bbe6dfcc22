/** A `like` pattern of all that contains this text, whatever signs of a pattern stand in it. */
export const contains = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
