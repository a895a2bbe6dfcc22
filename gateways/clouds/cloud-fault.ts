export type CloudFaultKind =
  | 'denied'
  | 'excluded'
  | 'credentials'
  | 'unreachable'
  | 'throttled'
  | 'page_token'
  | 'changed'

/**
 * Why a cloud did not answer. The message is shown to people and stored: it is a text of ours, with names of
 * rights and regions in it and never the cloud's own words, which may repeat a token. For the same reason it
 * has no cause: a client library's error holds the request.
 */
export class CloudFault extends Error {
  readonly kind: CloudFaultKind
  /** Rights by the cloud's own names. */
  readonly missing: string[]

  constructor(kind: CloudFaultKind, message: string, missing: string[] = []) {
    super(message)
    this.name = 'CloudFault'
    this.kind = kind
    this.missing = missing
  }
}

/** The time for an answer is over. The cloud may have been slow this once. */
export class LateAnswer extends CloudFault {
  constructor() {
    super('unreachable', 'The cloud did not answer in time.')
  }
}

/** The answer has more in it than is read at once. A page is asked for again with fewer resources. */
export class AnswerTooLarge extends CloudFault {
  constructor(cloud: string) {
    super('unreachable', `${cloud} sent more in an answer than is read. Check the endpoint.`)
  }
}
