import Foundation
import Gamebase
import Gatehouse
import TitleScreenFlow

/// The title screen in a terminal.
final class Terminal: TitleScreenView {
    func show(_ text: String) { print(text) }

    func choose(_ question: String, from options: [String], _ answer: @escaping (String) -> Void) {
        let list = options.enumerated().map { "  \($0 + 1) \($1)" }.joined(separator: "\n")
        read("\(question)\n\(list)") { line in
            if let number = Int(line), options.indices.contains(number - 1) { return answer(options[number - 1]) }
            guard let option = options.first(where: { $0.lowercased() == line.lowercased() }) else {
                return self.choose(question, from: options, answer)
            }
            answer(option)
        }
    }

    func ask(_ question: String, _ answer: @escaping (String) -> Void) { read(question, answer) }

    /// Waits for a line on another thread, and passes it to the main thread.
    private func read(_ prompt: String, _ answer: @escaping (String) -> Void) {
        print(prompt)
        DispatchQueue.global().async {
            let line = readLine()
            DispatchQueue.main.async {
                guard let line else { exit(0) }
                answer(line.trimmingCharacters(in: .whitespaces))
            }
        }
    }
}

setvbuf(stdout, nil, _IOLBF, 0)
let arguments = CommandLine.arguments.dropFirst()
let configuration = TCGBConfiguration.configuration(appID: arguments.first ?? "devgame", appVersion: "1.0")
if configuration.serverAddress == nil { configuration.serverAddress = URL(string: "http://127.0.0.1:8080") }
let folder = ProcessInfo.processInfo.environment["TITLE_SCREEN_FOLDER"]
configuration.configure { settings in
    if let folder { settings.storage = FileStorage(path: "\(folder)/session") }
    #if os(Linux)
    // Login pages open in a browser, if there is one; their addresses are printed here.
    settings.adapters = [Provider.google, .facebook, .apple].map { provider in
        BrowserAdapter(
            provider,
            in: .system { url in
                print("Open \(url.absoluteString)")
                try? await BrowserAdapter.openSystemBrowser(url)
            })
    }
    #endif
}
let terminal = Terminal()
let screen = TitleScreen(view: terminal, configuration: configuration) { exit(0) }
screen.start()
RunLoop.main.run()
