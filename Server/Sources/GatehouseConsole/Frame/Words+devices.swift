import GatehouseCore
import GatehousePlatform
import GatehouseWire

// How a device is named.
extension Words {
    /// A device as its player would describe it.
    func device(_ client: ClientInformation?) -> String {
        let name = [client?.osCode.map(system), client?.osVersion].compactMap { $0 }.joined(separator: " ")
        let parts = [client?.deviceModel, name.isEmpty ? nil : name, client?.deviceCountryCode].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }

    func device(_ session: DeviceSession) -> String {
        let name = [session.platformName.map(system), session.osVersion].compactMap { $0 }.joined(separator: " ")
        let parts = [session.deviceModel, name.isEmpty ? nil : name].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }

    /// The usual name of a system that a client names by a code.
    func system(_ code: String) -> String { optional("system.\(code.uppercased())") ?? code }
}
