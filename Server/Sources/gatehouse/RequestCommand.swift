#if Player
import ArgumentParser
import Foundation
import GatehousePlatform
import GatehouseServerWire
@_spi(Tools) import Gatehouse
import GatehouseWire

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Send one call of the HTTP API, with its proofs signed.",
        discussion: """
            What the call shows (a proof by the device's key, the stored refresh or access token) follows from its path, or \
            from --as. The status goes to the standard error stream, the body to the standard output; exits with 1 unless \
            the status is 2xx. Example: gatehouse request GET /v1/apps/devgame/member
            """)

    @OptionGroup var client: ClientArguments
    @Argument(help: "GET, POST ...") var method: String
    @Argument(help: "The path, such as /v1/apps/devgame/member.") var path: String
    @Argument(help: "The body: JSON.") var body: String?
    @Option(help: "open, deviceKey, refreshToken, accessToken or secretKey. Default: as the path's endpoint asks.")
    var `as`: String?
    @Option(help: "The app's secret key, for calls of game servers.") var secret: String?
    @Option(name: [.customShort("H"), .long], help: "A header, as NAME: VALUE; may be given several times.")
    var header: [String] = []

    func run() async throws {
        let client = try await client.client()
        let gatehouse = client.gatehouse()
        let access = try access()
        // Fetches the server's time first, as every client does.
        _ = try? await gatehouse.start()
        let bare = path.split(separator: "?", maxSplits: 1).first.map(String.init) ?? path
        var headers = try await gatehouse.signedHeaders(method: method, path: bare, access: access)
        if let secret { headers[HeaderNames.secretKey] = secret }
        if body != nil { headers["Content-Type"] = "application/json" }
        for line in header {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw ValidationError("\(line) is not NAME: VALUE.") }
            headers[String(parts[0])] = parts[1].trimmingSpaces()
        }
        guard let url = URL(string: gatehouse.configuration.serverURL.absoluteString + path) else {
            throw ValidationError("\(path) is no path.")
        }
        let response: TransportResponse
        do {
            response = try await GatehouseClient.Environment.live().send(
                TransportRequest(
                    method: method, url: url, headers: headers, body: body.map { Data($0.utf8) }, timeoutSeconds: 30))
        } catch {
            throw SettingError(client.address.unanswered("\(error.localizedDescription)."))
        }
        try? OpenFile.standardError.write("HTTP \(response.status)\n".utf8)
        Terminal.say(Terminal.Text(lines: String(decoding: response.body, as: UTF8.self)))
        guard (200...299).contains(response.status) else { throw ExitCode.failure }
    }

    private func access() throws -> EndpointAccess {
        if let name = `as` {
            // A secret key is a header of its own, and needs no proof.
            if name == "secretKey" { return .open }
            guard let access = EndpointAccess(rawValue: name) else {
                let names = EndpointAccess.allCases.map(\.rawValue) + ["secretKey"]
                throw ValidationError("--as is one of \(names.joined(separator: ", ")).")
            }
            return access
        }
        let segments = path.split(separator: "?").first?.split(separator: "/") ?? []
        let endpoint = Endpoints.all.first { endpoint in
            let template = endpoint.template.split(separator: "/")
            return template.count == segments.count
                && zip(template, segments).allSatisfy { $0 == "{appId}" || $0 == $1 }
        }
        return endpoint?.access ?? .open
    }
}
#endif
