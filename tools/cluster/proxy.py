"""The proxy's configuration: pages to any process of the app, and whatever names one to that one.

`python -m tools.cluster.proxy app1=app1:8000 app2=app2:8000` prints it, with what belongs to a container.
"""

import sys

from playground.limits import rate_limits

SERVER = "        server {address} max_fails=0{backup};"
GROUP = """    upstream {name} {{
{servers}
    }}"""

BODY = """\
        location {path} {{
            client_max_body_size {most};{senders}
            error_page 413 = /too-large/?path={path};
            proxy_pass http://$app;
        }}"""

HEADERS = {
    "Host": "$http_host",
    "X-Forwarded-For": "$proxy_add_x_forwarded_for",
    "X-Forwarded-Proto": "$scheme",
    "Upgrade": "$http_upgrade",
    "Connection": "$connection_upgrade",
}
"""What each process is told of a request. A location that sets one of them inherits none."""

TEMPLATE = """\
# Written by tools/cluster/proxy.py. A process is named in the address: ?node=app1. It is a hint: when that process does
# not answer another one gets the request, and knows what to say. Nothing counts failures (max_fails=0): processes that
# are only busy would be left out together, and nobody be answered. One that is gone refuses at once.
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
error_log stderr warn;
pid {home}/nginx.pid;

events {{
    worker_connections 8192;
}}

http {{
    # An access log would have addresses in it.
    access_log off;
    server_tokens off;
    # The app compresses its pages, with random bytes beside their secrets; this is for what it streams.
    gzip on;
    gzip_vary on;
    gzip_proxied any;
    gzip_types text/csv application/json application/x-ndjson;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;

    # What a stranger may send is bounded here as in each process: playground/limits/rate_limits.py.
    client_max_body_size {forms};
    client_header_timeout {head_s}s;
    client_body_timeout {head_s}s;
    # Of IPv6 the first half is an address: whoever has one has all that begin so
    # (playground/limits/request_callers.py).
    map $binary_remote_addr $caller {{
        default $binary_remote_addr;
        "~^(?<network>[\\s\\S]{{8}})[\\s\\S]{{8}}\\z" $network;
    }}
    # Connections of one address, sockets among them, in all processes together; a class may be behind one.
    limit_conn_zone $caller zone=addresses:2m;
    # The same of those that send files.
    map $request_method $sender {{
        POST    $caller;
        default '';
    }}
    limit_conn_zone $sender zone=senders:2m;
    limit_conn_status 429;

    map $http_upgrade $connection_upgrade {{
        default upgrade;
        ''      close;
    }}

    map $arg_node $app {{
        default apps;
{hints}
    }}

{groups}

    server {{
        listen {listen};
        limit_conn addresses {connections};
        proxy_http_version 1.1;
        proxy_set_header {headers}
        proxy_connect_timeout 2s;
        proxy_read_timeout 1h;
        proxy_send_timeout 1m;

        location / {{
            error_page 413 = /too-large/;
            proxy_pass http://$app;
        }}

{bodies}

        location = /too-large/ {{
            internal;
            client_max_body_size 0;
            proxy_method GET;
            proxy_pass_request_body off;
            proxy_set_header {headers_too_large}
            proxy_pass http://apps;
        }}
    }}
}}
"""


def configuration(apps: dict[str, str], listen: str, home: str, scheme: str = "$scheme") -> str:
    """Return nginx's configuration.

    Args:
        apps: the address of each process, HOST:PORT, by its name.
        listen: where the proxy is found.
        home: a directory that it may write.
        scheme: what visitors speak; a proxy before this one may state it.
    """
    everybody = [SERVER.format(address=address, backup="") for address in apps.values()]
    groups = [GROUP.format(name="apps", servers="\n".join(["        least_conn;", *everybody]))]
    for name, address in apps.items():
        others = [each for each in apps.values() if each != address]
        servers = [SERVER.format(address=address, backup="")]
        servers += [SERVER.format(address=other, backup=" backup") for other in others]
        groups.append(GROUP.format(name=name, servers="\n".join(servers)))
    hints = "\n".join(f"        {name} {name};" for name in apps)
    named = {**HEADERS, "X-Forwarded-Proto": scheme}
    return TEMPLATE.format(
        home=home,
        hints=hints,
        groups="\n\n".join(groups),
        listen=listen,
        headers=_headers(named, 8),
        headers_too_large=_headers({**named, "Content-Length": '""', "Connection": "close"}, 12),
        forms=_size(rate_limits.FORMS),
        head_s=rate_limits.HEAD_S,
        connections=rate_limits.CONNECTIONS_EACH,
        bodies="\n\n".join(_location(path, body) for path, body in rate_limits.BODIES.items()),
    )


def _headers(named: dict[str, str], indent: int) -> str:
    between = "\n" + " " * indent + "proxy_set_header "
    return between.join(f"{name} {value};" for name, value in named.items())


def _size(body: rate_limits.BodyBound) -> str:
    return f"{body.most_bytes >> 10}k"


def _location(path: str, body: rate_limits.BodyBound) -> str:
    senders = [
        f"limit_conn addresses {rate_limits.CONNECTIONS_EACH};",
        f"limit_conn senders {rate_limits.SENDERS_EACH};",
    ]
    few = "".join(f"\n            {line}" for line in senders) if body is rate_limits.FILES else ""
    return BODY.format(path=path, most=_size(body), senders=few)


if __name__ == "__main__":
    named = dict(argument.split("=", 1) for argument in sys.argv[1:])
    print(configuration(named, "8000", "/tmp"), end="")
