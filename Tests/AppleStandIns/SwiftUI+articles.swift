// The parts of Apple's SwiftUI that articles and tutorials use beside those of the example.
import Foundation

extension LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self.init(value) }
}
extension Text {
    @_disfavoredOverload public init(_ text: some StringProtocol) { self.init(verbatim: String(text)) }
}
extension Button where Label == Text {
    public init(_ title: LocalizedStringKey, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
        self.init(role: role, action: action) { Text(title) }
    }
    @_disfavoredOverload
    public init(_ title: some StringProtocol, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
        self.init(role: role, action: action) { Text(title) }
    }
}
extension TextField where Label == Text {
    public init(_ title: LocalizedStringKey, text: Binding<String>) { self.init(text: text) { Text(title) } }
}
public struct SecureField<Label: View>: Primitive {}
extension SecureField where Label == Text {
    public init(_ title: LocalizedStringKey, text: Binding<String>) {}
}
extension Section where Parent == Text, Footer == EmptyView {
    public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(content: content) { Text(title) }
    }
}
extension Binding {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { self.init(wrappedValue: get()) }
}
extension View {
    public func navigationTitle(_ title: LocalizedStringKey) -> some View { self }
    public func confirmationDialog<Actions: View, Message: View, Value>(
        _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        presenting data: Value?, @ViewBuilder actions: (Value) -> Actions, @ViewBuilder message: (Value) -> Message
    ) -> some View { self }
}
