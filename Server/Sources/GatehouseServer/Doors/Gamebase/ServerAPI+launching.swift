import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

extension ServerAPI {
    private static let systems: Set<String> = ["AOS", "IOS", "WEB", "WINDOWS", "MACOS"]

    /// 17: what a client fetches when it starts.
    @Sendable func simpleLaunching(_ call: ServerAPICall) async throws -> LaunchingAnswer {
        let system = try call.required("osCode")
        guard Self.systems.contains(system) else {
            throw ServerAPIFailure.mismatch("osCode", "one of \(Self.systems.sorted().joined(separator: ", "))")
        }
        // Version 1.0 has no stores.
        let store =
            call.version == .v10 || call.version == .v11 ? call.given("storeCode") : try call.required("storeCode")
        if let store {
            // Stores change over time, so any well-formed code is accepted.
            guard store.utf8.count <= 32, store.utf8.allSatisfy({ $0 != 0x20 && (0x21...0x7e).contains($0) }) else {
                throw ServerAPIFailure.mismatch("storeCode", "a store's code")
            }
        }
        var client = ClientInformation()
        (client.osCode, client.storeCode) = (system, store)
        client.clientVersion = try call.required("clientVersion")
        let service = try await call.run(ReadServiceStatus(client: client))
        return LaunchingAnswer(
            header: call.success,
            launchingData: .init(
                status: .init(code: service.status, message: service.message ?? service.status.name),
                app: .init(
                    storeCode: OrNull(store), accessInfo: .init(csInfo: OrNull(service.policy.supportContact)),
                    relatedUrls: .init(csUrl: OrNull(service.policy.supportURL)),
                    install: .init(url: OrNull(service.updateURL))),
                maintenance: Self.maintenance(service, withReason: true)))
    }

    /// 18: whether the game is under maintenance.
    @Sendable func maintenance(_ call: ServerAPICall) async throws -> MaintenanceAnswer {
        let isNew = call.version == .v13
        let entry = Self.maintenance(try await call.run(ReadServiceStatus()), withReason: isNew)
        var answer = MaintenanceAnswer(header: call.success, appId: call.app.id, underMaintenance: entry != nil)
        if isNew { answer.maintenance = entry } else { answer.maintenances = entry.map { [$0] } ?? [] }
        return answer
    }

    private static func maintenance(_ service: ReadServiceStatus.Outcome, withReason: Bool) -> MaintenanceEntry? {
        guard service.status == .maintenance || service.status == .maintenanceOfAllServices else { return nil }
        let window = service.window
        return MaintenanceEntry(
            typeCode: service.status == .maintenance ? "APP" : "SYSTEM",
            beginDate: OrNull(window.map { .iso8601($0.begin.milliseconds) }),
            endDate: OrNull(window.map { .iso8601($0.end.milliseconds) }), url: OrNull(window?.url),
            reason: withReason ? OrNull(window?.reason ?? service.message) : nil, message: OrNull(service.message))
    }
}

/// A member that is always present and null if there is no value, as in Gamebase's documents.
struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    let value: Value?

    init(_ value: Value?) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let value else { return try container.encodeNil() }
        try container.encode(value)
    }
}

struct MaintenanceEntry: Encodable, Sendable {
    /// `APP`: maintenance of the game; `SYSTEM`: maintenance of everything.
    let typeCode: String
    let beginDate: OrNull<ServerAPIDate>
    let endDate: OrNull<ServerAPIDate>
    let url: OrNull<String>
    /// In the response about maintenance only since version 1.3.
    var reason: OrNull<String>?
    let message: OrNull<String>
}

struct LaunchingAnswer: Encodable, Sendable {
    struct Status: Encodable, Sendable {
        let code: LaunchingStatus
        let message: String
    }

    struct AccessInfo: Encodable, Sendable {
        let serverAddress = OrNull<String>(nil)
        let csInfo: OrNull<String>
    }

    struct RelatedURLs: Encodable, Sendable {
        let termsUrl = OrNull<String>(nil)
        let csUrl: OrNull<String>
        let punishRuleUrl = OrNull<String>(nil)
        let personalInfoCollectionUrl = OrNull<String>(nil)
    }

    struct Install: Encodable, Sendable {
        let url: OrNull<String>
    }

    struct AppEntry: Encodable, Sendable {
        let storeCode: OrNull<String>
        let accessInfo: AccessInfo
        let relatedUrls: RelatedURLs
        let install: Install
    }

    struct LaunchingData: Encodable, Sendable {
        let status: Status
        let app: AppEntry
        let maintenance: MaintenanceEntry?
    }

    let header: ResultHeader
    let launchingData: LaunchingData
}

struct MaintenanceAnswer: Encodable, Sendable {
    let header: ResultHeader
    let appId: AppID
    let underMaintenance: Bool
    /// Present since version 1.3.
    var maintenance: MaintenanceEntry?
    /// Present before version 1.3.
    var maintenances: [MaintenanceEntry]?
}

/// 19: a ping for clients, which needs no key. Clients send the version of their own SDK, and browser games send it from the page of
/// the game. So it is the only call that answers other origins (CORS), which is safe because it reveals nothing.
extension ServerAPI {
    private static let path = ServerAPIEndpoint.health.template
    private static let everyOrigin: HTTPFields = [.accessControlAllowOrigin: "*"]

    func addHealth(to router: Router<GatehouseContext>) {
        router.get(RouterPath(Self.path)) { request, context in
            requests.note(request, context)
            guard let version = context.parameters.get("version"), Self.isVersion(version) else {
                throw ServerAPIFailure(.unsupportedVersion, Refusal(.notSupported, "That is no version."))
            }
            _ = try await requests.entry(context)
            var response = Self.response(
                try JSONWriter.bytes(of: DoneAnswer(header: .success(context.transactionID))))
            response.headers.append(contentsOf: Self.everyOrigin)
            return response
        }
        // A browser sends this preflight before a request with Gamebase's headers.
        router.on(RouterPath(Self.path), method: .options) { _, _ in
            var headers = Self.everyOrigin
            headers[.accessControlAllowMethods] = "GET"
            headers[.accessControlAllowHeaders] = "*"
            headers[.accessControlMaxAge] = "86400"
            return Response(status: .noContent, headers: headers)
        }
    }

    /// The headers of a failure at a path. For the ping, a browser must be able to show a failure to its page too.
    static func origins(of path: String) -> HTTPFields {
        let segments = path.parts(at: "/", withEmpty: true)
        let isHealth = segments.count == 6 && segments[1] == "tcgb-gateway" && segments[5] == "health"
        return isHealth ? everyOrigin : [:]
    }

    /// Accepts `v` and one to three numbers, such as v1.3.2.
    private static func isVersion(_ text: String) -> Bool {
        let numbers = text.dropFirst().parts(at: ".", withEmpty: true)
        return text.utf8.count <= 16 && text.begins(with: "v") && (1...3).contains(numbers.count)
            && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isDigit) }
    }
}
