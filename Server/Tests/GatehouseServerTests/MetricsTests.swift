import CoreMetrics
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import HummingbirdTesting
import Synchronization
import TestDatabases
import Testing

@Suite struct MetricsTests {
    @Test("Counters, gauges and histograms are written as Prometheus reads them")
    func text() {
        let registry = PrometheusRegistry()
        registry.describe("calls_total", "Calls by name.")
        registry.describe("duration_seconds", "Time.", buckets: [0.1, 1])
        let calls = Counter(label: "calls_total", dimensions: [("name", "a\"b\\c\nd")], factory: registry)
        calls.increment()
        calls.increment(by: 2)
        Meter(label: "queue", factory: registry).set(1.5)
        let timer = Timer(label: "duration_seconds", factory: registry)
        for milliseconds in [50, 100, 500, 3_000] { timer.recordMilliseconds(milliseconds) }
        #expect(
            registry.text() == #"""
                # HELP calls_total Calls by name.
                # TYPE calls_total counter
                calls_total{name="a\"b\\c\nd"} 3
                # HELP duration_seconds Time.
                # TYPE duration_seconds histogram
                duration_seconds_bucket{le="0.1"} 2
                duration_seconds_bucket{le="1"} 3
                duration_seconds_bucket{le="+Inf"} 4
                duration_seconds_sum 3.65
                duration_seconds_count 4
                # TYPE queue gauge
                queue 1.5

                """#)
    }

    @Test("A metric has a bounded number of series; what is beyond is counted together")
    func cardinality() {
        let registry = PrometheusRegistry()
        for number in 0..<1_000 {
            Counter(label: "calls_total", dimensions: [("name", "\(number)")], factory: registry).increment()
        }
        let lines = registry.text().split(separator: "\n").filter { $0.hasPrefix("calls_total{") }
        #expect(lines.count == 257)
        #expect(lines.contains(#"calls_total{overflow="true"} 744"#))
    }

    @Test("Values that are recorded by many threads at once are all counted")
    func concurrency() async {
        let registry = PrometheusRegistry()
        let calls = FloatingPointCounter(label: "calls_total", factory: registry)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<10_000 { calls.increment(by: 1) } } }
        }
        #expect(registry.text().contains("calls_total 80000\n"))
    }

    @Test("/metrics tells requests by route and code, logins, and the database's work", arguments: Engine.ofDoors)
    func endpoint(engine: Engine) async throws {
        try await TestServer.open(on: engine, setup: .live) { server in
            let device = TestDevice()
            let login = try await server.guest(device)
            #expect(try await server.logIn(device).status == 200)
            #expect(try await server.logIn(device, headers: [HeaderNames.proof: "nonsense"]).status == 401)
            let unknown = #"{"provider":"steam"}"#
            #expect(try await server.send(.post, Endpoints.logIn.template, by: device, body: unknown).code == 3202)
            #expect(try await server.send(TestCall(path: "/nowhere/\(UUID())")).status == 404)
            #expect(
                try await server.send(TestCall(method: .init("PROPFIND") ?? .get, path: "/health/live")).status != 200)

            let answer = try await server.send(TestCall(method: .get, path: "/metrics"))
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            for line in [
                #"gatehouse_http_requests_total{route="/v1/apps/{appId}/login",method="POST",status="200",code="0"} 2"#,
                #"gatehouse_http_requests_total{route="/v1/apps/{appId}/login",method="POST",status="401",code="3201"} 1"#,
                #"gatehouse_http_requests_total{route="none",method="POST",status="404",code="10"} 1"#,
                #"gatehouse_http_request_duration_seconds_count{route="/v1/apps/{appId}/login"} 4"#,
                #"gatehouse_logins_total{idp="guest",result="new"} 1"#,
                #"gatehouse_logins_total{idp="guest",result="returning"} 1"#,
                #"gatehouse_logins_total{idp="other",result="refused"} 1"#,
                #"gatehouse_database_waiting{kind="write"} 0"#,
                "gatehouse_http_requests_in_flight 1",
                "# TYPE process_cpu_seconds_total counter",
            ] {
                #expect(answer.text.contains("\n\(line)\n"), "\(line) is not in \(answer.text)")
            }
            #expect(!answer.text.contains("PROPFIND"))
            let hasSecret = [
                login.member.userId.rawValue, login.session.accessToken.secretValue, TestServer.app.rawValue + "\"",
            ]
            .contains { answer.text.contains($0) }
            #expect(!hasSecret)
        }
    }

    @Test("Every line of /metrics has the form that Prometheus reads")
    func form() async throws {
        try await TestServer.open(on: .sqlite, setup: .live) { server in
            _ = try await server.guest(TestDevice())
            let text = try await server.send(TestCall(method: .get, path: "/metrics")).text
            let form = /[a-z_]+(\{([a-z_]+="[^"\\]*",?)+\})? (\d+(\.\d+)?(e-?\d+)?)/
            for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
                #expect(line.wholeMatch(of: form) != nil, "\(line)")
            }
        }
    }

    @Test("/metrics isn't there for those who may not read it")
    func readers() async throws {
        var configuration = TestServer.configuration()
        configuration.metricsReaders = try #require(Networks(["10.1.2.3"]))
        configuration.trustedProxies = try #require(Networks(["127.0.0.1", "::1"]))
        try await TestServer.open(on: .sqlite, configuration: configuration, setup: .live) { server in
            let refused = try await server.send(TestCall(method: .get, path: "/metrics"))
            #expect(refused.status == 404)
            #expect(refused.code == 10)
            #expect(try await server.send(TestCall(method: .post, path: "/metrics")).status == 404)
            for (client, status) in [("10.1.2.3", 200), ("10.1.2.4", 404)] {
                let headers = ["X-Forwarded-For": client]
                let answer = try await server.send(TestCall(method: .get, path: "/metrics", headers: headers))
                #expect(answer.status == status)
            }
        }
    }

    @Test("The database's events are counted: writes a commit, errors by kind", arguments: Engine.available)
    func database(engine: Engine) async throws {
        let metrics = ServerMetrics()
        try await withLocation(engine) { location in
            let database = try await Database.open(location, events: metrics.storageEvents)
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            await database.close()
        }
        let text = metrics.registry.text()
        #expect(text.contains("gatehouse_database_commit_writes_count 1\n"))
        #expect(text.contains("gatehouse_database_reconnects_total 0\n"))
    }
}
