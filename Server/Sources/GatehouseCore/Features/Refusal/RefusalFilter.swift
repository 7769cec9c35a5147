package import GatehouseSecurity
package import GatehouseWire

/// Which refused calls somebody looks for.
package struct RefusalFilter: Sendable, Hashable {
    package var code: ErrorCode?
    package var provider: Provider?
    /// The game's own version, as its client has sent it.
    package var version: String?
    /// The code of the client's system, such as `IOS`.
    package var system: String?
    /// The endpoint, such as `/v1/apps/{appId}/login`.
    package var call: String?
    package var user: UserID?
    /// The first moment.
    package var since: Moment?
    /// The moment before which they were refused.
    package var until: Moment?

    package init() {}

    /// Whether a call of the member and of the time that are looked for is one of these calls.
    func holds(_ call: RefusedCall, _ devices: inout DeviceReader) -> Bool {
        holds(call.code, call.provider, call: call.call, client: call.client, &devices)
    }

    /// The same of an outline that has what ``readsCall`` and ``readsClient`` ask for.
    func holds(_ call: RefusalOutline, _ devices: inout DeviceReader) -> Bool {
        holds(call.code, call.provider, call: call.call, client: call.client, &devices)
    }

    var readsCall: Bool { call != nil }
    var readsClient: Bool { version != nil || system != nil }

    private func holds(
        _ code: ErrorCode, _ provider: Provider?, call: String?, client: String?, _ devices: inout DeviceReader
    ) -> Bool {
        guard self.code == nil || self.code == code, self.provider == nil || self.provider == provider,
            self.call == nil || self.call == call
        else { return false }
        guard readsClient else { return true }
        let device = devices.device(client)
        return (version == nil || device?.clientVersion == version) && (system == nil || device?.osCode == system)
    }
}

extension RefusedCall {
    /// What the device has said of itself.
    package var device: ClientInformation? { client.flatMap { ClientInformation(headerValue: $0) } }
}
