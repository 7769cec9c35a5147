import GatehouseConsole
import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension ServerFacts {
    /// The settings in force. None of them is a secret.
    init(_ configuration: ServerConfiguration) {
        let origins = configuration.publicOrigins.all.map(\.text)
        self.init(
            settings: [
                ("host", configuration.host), ("port", String(configuration.port)),
                ("public-url", origins.isEmpty ? "loopback" : origins.joined(separator: ", ")),
                ("node", configuration.node), ("tls", configuration.tls == nil ? "off" : "on"),
                ("max-connections", String(configuration.maximumConnections)),
                ("max-connections-per-address", String(configuration.maximumConnectionsPerAddress)),
                ("max-requests", String(configuration.maximumRequests)),
                ("access-token-seconds", String(configuration.lifetimes.accessTokenSeconds)),
                ("password-cost", String(configuration.passwordCost)),
                ("request-seconds", String(configuration.requestSeconds)),
                ("idle-seconds", String(configuration.idleSeconds)),
                ("provider-seconds", String(configuration.providerSeconds)),
                ("drain-seconds", String(configuration.drainSeconds)),
                ("mail-server", configuration.mailServer.map { "\($0.host):\($0.port)" } ?? "–"),
            ], residentBytes: { ProcessUsage.current().residentBytes })
    }
}
