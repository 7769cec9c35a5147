import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseWire
import Testing

@Suite("Known providers")
struct KnownProviderTests {
    @Test("Every kind of provider has its page, to which docs/providers.md leads, with its names in the title")
    func documents() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../docs")
        let index = try String(contentsOf: root.appendingPathComponent("providers.md"), encoding: .utf8)
        #expect(!ProviderKind.allCases.isEmpty)
        for kind in ProviderKind.allCases {
            let file = "providers/\(kind.rawValue).md"
            #expect(index.contains("](\(file))"), "\(file)")
            let title = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8).prefix { $0 != "\n" }
            for name in kind.names { #expect(title.contains("(`\(name.provider)`)"), "\(name.provider)") }
        }
    }

    @Test("Every provider with a name of its own is in the fake world, once")
    func fakes() {
        let known = ProviderName.all.map(\.provider)
        #expect(Set(known).count == known.count)
        #expect(Set(FakeProviders.names) == Set(known + [.studio]))
        #expect(FakeProviders.names.count == known.count + 1)
    }

    @Test("A kind is found by its name, and by the names of its providers")
    func kinds() {
        for kind in ProviderKind.allCases {
            #expect(ProviderKind(rawValue: kind.rawValue) == kind)
            for name in kind.names { #expect(ProviderKind(standardFor: name.provider) == kind) }
        }
        #expect(ProviderKind(rawValue: "moon") == nil)
        #expect(ProviderKind(standardFor: Provider("studio-id")) == .openID)
        #expect(ProviderKind(standardFor: .apple) == .apple)
        #expect(ProviderKind(standardFor: Provider("apple")) == .apple)
        #expect(ProviderKind(standardFor: .hangame) == .partner)
    }
}
