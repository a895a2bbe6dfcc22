import { Agent, request } from 'node:http'

export type Answer = {
  status: number
  // A bench keeps no types for the API's answers.
  body: Record<string, unknown>
  tookMs: number
}

export type CallApi = (method: string, path: string, body?: unknown) => Promise<Answer>

/** Signs in, and returns a client with persistent connections, as in a browser. */
export async function signIn(
  address: string,
  credentials: { email: string; password: string },
): Promise<{ call: CallApi; cookie: () => string }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let cookie = ''
  const call: CallApi = (method, path, body) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const since = performance.now()
      const sent = request(`${address}/api${path}`, {
        agent,
        method,
        headers: {
          origin: address,
          cookie,
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
        },
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        const given = response.headers['set-cookie']?.[0]?.split(';')[0]
        if (given) cookie = given
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const tookMs = performance.now() - since
          const text = Buffer.concat(chunks).toString()
          const status = response.statusCode ?? 0
          if (status >= 300) return reject(new Error(`${method} ${path}: ${status} ${text}`))
          resolve({ status, body: JSON.parse(text), tookMs })
        })
      })
      sent.end(payload)
    })
  await call('POST', '/auth/login', credentials)
  return { call, cookie: () => cookie }
}
