const requestId = /^_[0-9a-f]{40}$/

/**
 * Finds the request that a response claims to answer, from its first tag, before any parser or
 * cryptography. The result only decides whether to continue; later the signed copy counts.
 */
export function findRequestId(xml: string): string | undefined {
  const start = /^\s*(?:<\?xml[^>]*\?>\s*)?<(?:[\w.-]+:)?Response\s([^>]*)>/.exec(
    xml.slice(0, headLength),
  )
  const id = /(?:^|\s)InResponseTo\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(start?.[1] ?? '')
  const found = id?.[1] ?? id?.[2] ?? ''
  return requestId.test(found) ? found : undefined
}

/** A first tag with every namespace in use takes a tenth of this. */
const headLength = 16_384
