import Foundation
import TokenCheck

/// Reads lines with an access token or `refresh`, and answers each with a line.
@main struct CheckTokens {
    static func main() async {
        let settings = ProcessInfo.processInfo.environment
        guard let server = settings["GATEHOUSE_SERVER"].flatMap(URL.init(string:)), let app = settings["GATEHOUSE_APP"],
            let secret = settings["GATEHOUSE_SECRET"]
        else { return say("GATEHOUSE_SERVER, GATEHOUSE_APP and GATEHOUSE_SECRET must be set") }
        let tokens = TokenChecker(server: server, app: app, secret: secret)
        while let line = readLine() {
            do {
                say(
                    line == "refresh"
                        ? "next \(try await tokens.refresh())" : "user \(try await tokens.check(line).sub)")
            } catch {
                say("refused \(error)")
            }
        }
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
