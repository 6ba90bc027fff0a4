"""Does with Python's requests what an application does with files; prints what it saw as JSON."""

import json
import sys

import requests

given = json.loads(sys.argv[1])
storage, bucket, signed = given["storage"], given["bucket"], given["signed"]
session = requests.Session()
session.headers.update({"Authorization": f"Bearer {given['apiKey']}", "x-tenant-id": bucket})
content = bytes(range(256)) * 4096
seen = {}


def pieces():
    for at in range(0, len(content), 65536):
        yield content[at : at + 65536]


with open(given["picture"], "rb") as picture:
    form = session.post(f"{storage}/v1/upload", files={"file": ("räder 1.png", picture)}, data={"key": "räder/1 +.png"})
seen["form"] = [form.status_code, form.json()["mimeType"], form.json()["key"]]
seen["picture"] = requests.get(form.json()["url"]).content == open(given["picture"], "rb").read()

binary = {"Content-Type": "application/octet-stream"}
chunked = session.put(f"{storage}/v1/objects/{bucket}/chunked.bin", data=pieces(), headers=binary)
seen["chunked"] = [chunked.status_code, chunked.json()["size"]]

put = requests.put(signed["uploadUrl"], data=content, headers=signed["headers"])
again = requests.put(signed["uploadUrl"], data=content, headers=signed["headers"])
seen["signed"] = [put.status_code, again.status_code]

with session.get(f"{storage}/v1/objects/{bucket}/chunked.bin", stream=True) as answer:
    seen["streamed"] = b"".join(answer.iter_content(100_000)) == content
    etag = answer.headers["ETag"]
url = chunked.json()["url"]
part = requests.get(url, headers={"Range": "bytes=256-511"})
seen["range"] = [part.status_code, part.content == content[256:512]]
seen["unchanged"] = requests.get(url, headers={"If-None-Match": etag}).status_code
seen["head"] = requests.head(url).headers["Content-Length"]

two = session.post(f"{storage}/v1/upload", files=[("file", ("a.txt", b"a")), ("file", ("b.txt", b"b"))])
none = session.post(f"{storage}/v1/upload", files={"other": ("a.txt", b"a")})
seen["refused"] = [two.status_code, none.status_code, requests.put(chunked.request.url, data=b"x").status_code]
seen["removed"] = session.delete(f"{storage}/v1/objects/{bucket}/chunked.bin").status_code
seen["gone"] = session.get(f"{storage}/v1/objects/{bucket}/chunked.bin").status_code
print(json.dumps(seen))
