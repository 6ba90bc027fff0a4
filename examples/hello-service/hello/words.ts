export const greetingFor = (name: string): string => `Hello, ${name}!`;
