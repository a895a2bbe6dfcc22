"""Runs scim2-tester against a server: argv is its base URL; the token is in SCIM_TOKEN, out of the process list."""
import collections
import os
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

client = SyncSCIMClient(
    Client(
        base_url=sys.argv[1],
        headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"},
        timeout=60,
    )
)
results = check_server(client)
bad = [r for r in results if r.status in (Status.ERROR, Status.CRITICAL, Status.DEVIATION)]
print(dict(collections.Counter(r.status.name for r in results)))
for r in results:
    if r.status is not Status.SUCCESS:
        print(r.status.name, r.title, "|", r.reason)
print(f"{len(results) - len(bad)} passed, {len(bad)} failed")
sys.exit(bool(bad))
