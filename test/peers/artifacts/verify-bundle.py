"""Verifies a Sigstore bundle's DSSE envelope by securesystemslib, and its statement by in-toto-attestation.

Arguments: the bundle, the public key as PEM. Prints the subject's digest.
"""

import base64
import json
import sys

from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

bundle = json.load(open(sys.argv[1]))
dsse = bundle["dsseEnvelope"]
key = SSlibKey.from_crypto(
    load_pem_public_key(open(sys.argv[2], "rb").read()),
    keyid=bundle["verificationMaterial"]["publicKey"]["hint"],
)
Envelope.from_dict(json.loads(json.dumps(dsse))).verify([key], 1)
text = base64.b64decode(dsse["payload"])
parsed = json_format.Parse(text, statement_pb2.Statement())
statement = Statement.copy_from_pb(parsed)
statement.validate()
provenance = json_format.Parse(
    json.dumps(json.loads(text)["predicate"]), provenance_pb2.Provenance()
)
assert provenance.build_definition.build_type, "no build type"
assert provenance.run_details.builder.id, "no builder"
print(statement.pb.subject[0].digest["sha256"])
