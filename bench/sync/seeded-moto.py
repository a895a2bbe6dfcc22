"""moto over HTTP on a port, with this many tagged buckets: python seeded-moto.py <port> <count>."""

import sys

from moto.s3.models import s3_backends
from moto.server import main

port, count = sys.argv[1:]
backend = s3_backends["123456789012"]["aws"]
for n in range(int(count)):
    bucket = backend.create_bucket(f"bucket-{n:07d}", "us-east-1")
    backend.tagger.tag_resource(bucket.arn, [{"Key": "team", "Value": f"team-{n % 40}"}])
main(["-H", "127.0.0.1", "-p", port])
