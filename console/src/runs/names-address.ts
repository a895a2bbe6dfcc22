/** Whether a text speaks of this resource, and not of one whose address only begins or ends with its address. */
export function namesAddress(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
    const before = text[at - 1] ?? ''
    const after = text.slice(at + address.length, at + address.length + 2)
    if (!/[\w.\]-]/.test(before) && !/^(?:[\w[-]|\.\w)/.test(after)) return true
  }
  return false
}
