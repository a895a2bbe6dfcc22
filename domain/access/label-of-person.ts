type Named = { name: string; email: string | null; userName: string | null }

/**
 * How a person is shown to others: the name with the address, never an id. An identity provider may
 * create people who have neither, and whose user name is an id of its own.
 */
export function labelOfPerson({ name, email, userName }: Named): string {
  const known = [name, email].filter((text) => text)
  if (known.length === 2 && name.toLowerCase() !== email?.toLowerCase()) return `${name} (${email})`
  return known[0] ?? (userName && !isId(userName) ? userName : 'a member without a name')
}

/** A number, a UUID or another run of hexadecimal digits. */
const isId = (text: string): boolean => /^(?:\d+|[0-9a-f-]{16,})$/i.test(text)
