"""Believes a token as a program that nobody here wrote does: PyJWT, over the discovery document."""

import json
import sys
import urllib.request

import jwt

token, issuer, audience = sys.argv[1:]
with urllib.request.urlopen(f"{issuer}/.well-known/openid-configuration") as answer:
    document = json.load(answer)
if document["issuer"] != issuer:
    raise SystemExit("the document names another issuer")
key = jwt.PyJWKClient(document["jwks_uri"]).get_signing_key_from_jwt(token)
claims = jwt.decode(
    token,
    key,
    algorithms=document["id_token_signing_alg_values_supported"],
    issuer=issuer,
    audience=audience,
    options={"require": ["exp", "iat", "iss", "aud", "sub", "jti"]},
)
print(json.dumps(claims))
