"""The proxy's configuration: pages to any process of the app, and whatever names one to that one.

`python -m tools.cluster.proxy app1=app1:8000 app2=app2:8000` prints it, with what belongs to a container.
"""

import sys

SERVER = "        server {address} max_fails=0{backup};"
GROUP = """    upstream {name} {{
{servers}
    }}"""

TEMPLATE = """\
# Written by tools/cluster/proxy.py. A process is named in the address: ?node=app1. It is a hint: when that process does
# not answer another one gets the request, and knows what to say. Nothing counts failures (max_fails=0): processes that
# are only busy would be left out together, and nobody be answered. One that is gone refuses at once.
daemon off;
worker_processes 1;
error_log stderr warn;
pid {home}/nginx.pid;

events {{
    worker_connections 4096;
}}

http {{
    # An access log would have addresses in it.
    access_log off;
    server_tokens off;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    client_max_body_size 1m;

    # Sockets of one address, in all processes together; a class may be behind one.
    limit_conn_zone $binary_remote_addr zone=addresses:2m;

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

        location / {{
            limit_conn addresses 1024;
            proxy_pass http://$app;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto {scheme};
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_connect_timeout 2s;
            proxy_read_timeout 1h;
            proxy_send_timeout 1m;
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
    return TEMPLATE.format(home=home, hints=hints, groups="\n\n".join(groups), listen=listen, scheme=scheme)


if __name__ == "__main__":
    named = dict(argument.split("=", 1) for argument in sys.argv[1:])
    print(configuration(named, "8000", "/tmp"), end="")
