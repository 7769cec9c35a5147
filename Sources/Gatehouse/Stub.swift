public enum Gatehouse0 {}
