import { stateOf } from './state-client.ts'

export const bucket = (name: string) => `arn:aws:s3:::${name}`

/** A state with a bucket for each name. */
export const withBuckets = (serial: number, names: readonly string[], attributes: object = {}) =>
  stateOf(serial, {
    resources: [
      {
        mode: 'managed',
        type: 'aws_s3_bucket',
        name: 'b',
        provider: 'provider["registry.opentofu.org/hashicorp/aws"]',
        instances: names.map((name) => ({
          index_key: name,
          attributes: { arn: bucket(name), id: name, ...attributes },
        })),
      },
    ],
  })
