import GatehouseCore
import GatehouseSecurity
import GatehouseWire

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
