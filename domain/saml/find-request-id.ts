const requestId = /^_[0-9a-f]{40}$/

/**
 * The gate before any parser and any cryptography: which request of ours a response says
 * that it answers, from its first tag. It only decides whether to look further; what is
 * believed later is the signed copy of it.
 */
export function findRequestId(xml: string): string | undefined {
  const start = /^\s*(?:<\?xml[^>]*\?>\s*)?<(?:[\w.-]+:)?Response\s([^>]*)>/.exec(
    xml.slice(0, headLength),
  )
  const id = /(?:^|\s)InResponseTo\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(start?.[1] ?? '')
  const found = id?.[1] ?? id?.[2] ?? ''
  return requestId.test(found) ? found : undefined
}

/** A first tag with all the namespaces that anybody declares is a tenth of it. */
const headLength = 16_384
