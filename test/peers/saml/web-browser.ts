import { request as plainRequest, type IncomingHttpHeaders } from 'node:http'
import { request as tlsRequest } from 'node:https'

export type Page = { url: string; status: number; headers: IncomingHttpHeaders; body: string }
export type Visit = { method: 'GET' | 'POST'; url: string; form?: Record<string, string> }

export type WebBrowser = {
  /** Goes there, follows redirects and sends the forms that send themselves, until a page waits for somebody. */
  go(visit: string | Visit): Promise<Page>
  /** Fills in the page's first form and sends it. */
  submit(page: Page, fields: Record<string, string>): Promise<Page>
  cookie(origin: string, name: string): string | undefined
  /** Everything that was asked for since the last look. */
  visits(): Visit[]
}

const maxSteps = 25

/** What a person's browser does on the way between two parties, with cookies of each. */
export function createWebBrowser(): WebBrowser {
  const jars = new Map<string, Map<string, string>>()
  const visits: Visit[] = []

  async function send({ method, url, form }: Visit): Promise<Page> {
    visits.push(form ? { method, url, form } : { method, url })
    const { origin, protocol } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const payload = form ? new URLSearchParams(form).toString() : undefined
    const headers = {
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      accept: 'text/html',
      ...(payload !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(payload),
      }),
    }
    return new Promise((resolve, reject) => {
      const request = protocol === 'https:' ? tlsRequest : plainRequest
      // The peer's certificate was made a moment ago by the test itself.
      const sent = request(url, { method, headers, rejectUnauthorized: false }, (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) keep(jar, line)
        let body = ''
        answer.setEncoding('utf8')
        answer.on('data', (text: string) => (body += text))
        answer.on('end', () =>
          resolve({ url, status: answer.statusCode ?? 0, headers: answer.headers, body }),
        )
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  }

  async function go(start: string | Visit): Promise<Page> {
    let visit: Visit = typeof start === 'string' ? { method: 'GET', url: start } : start
    for (let step = 0; step < maxSteps; step += 1) {
      const page = await send(visit)
      const { location } = page.headers
      const form = formOf(page)
      if (location !== undefined) visit = { method: 'GET', url: new URL(location, page.url).href }
      else if (form && ('SAMLRequest' in form.fields || 'SAMLResponse' in form.fields))
        visit = { method: 'POST', url: form.action, form: form.fields }
      else return page
    }
    throw new Error(`no end of redirects: ${visit.url}`)
  }

  return {
    go,
    async submit(page, fields) {
      const form = formOf(page)
      if (!form)
        throw new Error(`no form on ${page.url} (${page.status}): ${page.body.slice(0, 500)}`)
      return go({ method: 'POST', url: form.action, form: { ...form.fields, ...fields } })
    },
    cookie: (origin, name) => jars.get(origin)?.get(name),
    visits: () => visits.splice(0),
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...rest] = line.split(';')
  const equals = pair.indexOf('=')
  const name = pair.slice(0, equals).trim()
  const gone = rest.some((part) => /^\s*(max-age=0|expires=thu, 01[- ]jan[- ]1970)/i.test(part))
  if (gone) jar.delete(name)
  else jar.set(name, pair.slice(equals + 1))
}

type Form = { action: string; fields: Record<string, string> }

function formOf({ body, url }: Page): Form | undefined {
  const form = /<form\b[^>]*>[\s\S]*?<\/form>/i.exec(body)?.[0]
  if (form === undefined) return undefined
  const fields: Record<string, string> = {}
  for (const [input] of form.matchAll(/<input\b[^>]*>/gi)) {
    const name = attributeOf(input, 'name')
    if (name !== undefined && !/type=["']?(submit|checkbox)/i.test(input))
      fields[name] = attributeOf(input, 'value') ?? ''
  }
  const action = attributeOf(form.slice(0, form.indexOf('>') + 1), 'action') ?? ''
  return { action: new URL(action, url).href, fields }
}

function attributeOf(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}=(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag)
  const text = value?.[1] ?? value?.[2]
  return text
    ?.replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
